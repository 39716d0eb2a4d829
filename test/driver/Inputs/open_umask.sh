# Runs a command as a shell would that lets others write what it makes.
umask 0
exec "$@"
