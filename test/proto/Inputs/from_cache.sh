# Dumps the module $1 as jax does when it takes it from its cache: optimized only.
name=$1
set -- ${XLA_FLAGS#*=}
touch "$1/module_0002.$name.cpu_after_optimizations.txt"
