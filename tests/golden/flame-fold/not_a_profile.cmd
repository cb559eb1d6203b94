# One line, with the formats that are known and how the input begins.
echo 'dear diary' | flame-fold 2>said
status=$?
cat said
exit $status
