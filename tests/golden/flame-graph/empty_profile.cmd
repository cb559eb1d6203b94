# A page all the same: there was nothing to be seen.
echo 'a 0' | flame-graph | head -c 5; echo
