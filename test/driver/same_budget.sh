# same_budget.sh FIRST SECOND: compares each program of test/diff/make_pairs.py in
# SECOND with that in FIRST: no growth is allowed, and no difference.
cd "$1" || exit 2
Alarms=0 Programs=0
for Side in */old */new; do
  Programs=$((Programs + 1))
  hlobuf-verify -q --summary --format=json "$Side" >"$1/stored.jsonl"
  hlobuf-verify -q --max-growth=0%:"$1/stored.jsonl" "$2/$Side" &&
    hlobuf-diff "$Side" "$2/$Side" || Alarms=$((Alarms + 1))
done
# A program that needs more is an alarm.
hlobuf-verify -q --summary --format=json remat-mlp/old >"$1/stored.jsonl"
hlobuf-verify -q --max-growth=0%:"$1/stored.jsonl" remat-mlp/new &&
  echo "no alarm where there should be one"
echo "$Programs programs, $Alarms alarms"
