# A profile of nothing makes no page, unless that is asked for.
echo 'a 0' | flame-graph -o page.html
echo $?
ls
echo 'a 0' | flame-graph --empty ok | head -c 5; echo
