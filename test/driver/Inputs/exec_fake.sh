# PYTHON STATUS HOW (DUMP EXECUTABLE)...: fake_jax.py below --exec, which must exit with STATUS.
# Limits of time are lifted, so that nothing depends on it.
python=$1 status=$2 here=$(dirname "$0")/..
shift 2
export TMPDIR="$PWD/tmp" HLOBUF_EXECUTABLES="${HLOBUF_EXECUTABLES-all}"
exec "$python" "$here/exit_status.py" "$status" hlobuf-verify --no-config --exec $OPTIONS -- \
  "$python" "$here/fake_jax.py" "$@" 2>&1
