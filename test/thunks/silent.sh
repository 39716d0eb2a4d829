#!/bin/sh
# A verifier that finds nothing.
for path; do
  case $path in
  -*) ;;
  *) printf '{"dump": "%s", "findings": []}\n' "$path" ;;
  esac
done
