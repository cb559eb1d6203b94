echo 'a;b 1' | flame-graph | head -c 5; echo
echo 'a;b 1' | flame-graph -f html | head -n 1
echo 'a;b 1' | flame-graph -o x.html; head -n 1 x.html
flame-graph -q data/jfr/spark-lock.jfr -o y.svg; ls
