# A label that no sample of any group has: there is no site.
mkdir in
printf 'main;plain 7\n' >in/x.folded
cp data/jfr/spark-cpu-wall.jfr in
flame-batch --by stgae -o site in
echo "status $?"
ls site 2>/dev/null
# Some have it; so does one key of two.
flame-batch --quiet --by thread -o site in && flame-batch -q --by stgae,thread -o site in && ls site
flame-batch -q --empty ok --by stgae -o site in && grep -c 'all.html' site/index.html
# The same of --key; one of two is a warning.
rm -rf site
flame-batch -q --key stgae -o site in
echo "status $?"
ls site 2>/dev/null
flame-batch -q --key thread,stgae -o site in && ls site
flame-batch -q --empty ok --key stgae -o site in && grep -c 'all.html' site/index.html
