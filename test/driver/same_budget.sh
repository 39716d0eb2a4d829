# same_budget.sh FIRST SECOND: compares each program of test/diff/make_pairs.py in
# SECOND with that in FIRST: no growth is allowed, and no difference.
cd "$1" || exit 2
Alarms=0 Programs=0
for Side in */old */new; do
  Programs=$((Programs + 1))
  hlobuf-diff --max-growth=0% "$Side" "$2/$Side" || Alarms=$((Alarms + 1))
done
echo "$Programs programs, $Alarms alarms"
