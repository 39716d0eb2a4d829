"""What a campaign has found and reached, as Markdown."""

from hunting.coverage import impossible, wanted


def table(title, head, rows):
    yield from ("", f"## {title}", "", "| " + " | ".join(head) + " |")
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"


def programs(campaign):
    query = """select lane, count(*), sum(numbers = 'right'), sum(numbers = 'wrong'),
      sum(numbers in ('hangs', 'crashes', 'caller')), sum(checks != ''), sum(not agrees)
      from programs group by lane"""
    head = ["programs of", "judged", "right", "wrong", "hang, crash", "reported", "disagree"]
    yield from table("Programs", head, campaign.rows(query))


def causes(campaign):
    query = """select cause, (select ifnull(group_concat(judged || ' ' || count, '; '), '')
      from judges where judges.cause = causes.cause), count, program, reduced
      from causes order by count desc"""
    head = ["cause", "judges", "programs", "first", ""]
    yield from table("Causes", head, campaign.rows(query))
    query = """select substr(cause, 1, instr(cause || ',', ',') - 1), opcodes,
      count(*), sum(count), min(cause) from defects join causes using (cause)
      where opcodes != '' group by 1, 2 order by 4 desc"""
    head = ["finding", "opcodes left", "causes", "programs", "one of them"]
    rows = campaign.rows(query)
    if rows:
        yield from table("Reduced causes, by opcodes", head, rows)


def coverage(campaign):
    reached = campaign.rows(
        "select what, group_concat(target || ' ' || count, ', ') from"
        " (select * from coverage order by target) where what not like 'block %'"
        " group by what order by what"
    )
    yield from table("Reached", ["what", "in modules"], reached)
    everything = sorted({*wanted(), *(what for what, _ in reached)})
    for (target,) in campaign.rows("select distinct target from coverage order by target"):
        there, never = campaign.coverage(target), impossible(target)
        missing = [what for what in everything if what not in there]
        open_ones = [what for what in missing if what not in never]
        yield from ("", f"## Not reached for {target}: {len(open_ones)} of {len(everything)}")
        yield from ("", ", ".join(open_ones))
        for why in sorted({never[what] for what in missing if what in never}):
            names = [what for what in missing if never.get(what) == why]
            yield from ("", f"Not to be expected ({why}): {', '.join(names)}")


def report(campaign):
    yield "# Campaign"
    yield from programs(campaign)
    yield from causes(campaign)
    yield from coverage(campaign)
