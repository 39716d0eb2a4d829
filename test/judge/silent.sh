#!/bin/sh
# A verifier that finds nothing.
for folder; do
  [ -d "$folder" ] || continue
  find "$folder" -name '*-buffer-assignment.txt' | while read -r path; do
    name=${path##*.jit_}
    printf '{"module": "jit_%s", "dump": "%s", "findings": [], "not_checked": []}\n' \
      "${name%%.*}" "$path"
  done
done
