# Two compilers, one after the other, that dump the files of $1 into one folder.
from=$1
set -- ${XLA_FLAGS#*=}
cp "$from"/* "$1" && cp "$from"/* "$1"
