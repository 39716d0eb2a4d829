# donated.sh FOLDER [OUT]: verifies the dump of waste_constant there as if its
# argument were in buffer_donor, which JAX does with shardings only.
OUT=${2:-$(mktemp -d)}
mkdir -p "$OUT"
cp "$1"/*jit_waste_constant.cpu* "$OUT"
sed '1s/is_scheduled=true, /&buffer_donor={ (0, {}) }, /' "$1"/*jit_waste_constant.cpu*optimizations.txt \
  > "$OUT"/module_0016.jit_waste_constant.cpu_after_optimizations.txt
cd "$OUT" && hlobuf-verify -q '--checks=-*,lint-unused-donation' .
