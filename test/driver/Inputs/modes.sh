# Who may enter the folders that --exec makes.
flags=${XLA_FLAGS#*=}
stat -c '%a' "${PYTHONPATH%%:*}" "${flags%% *}"
