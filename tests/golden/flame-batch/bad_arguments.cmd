flame-batch x.jfr
flame-batch -o - x.jfr
flame-batch -o site
flame-batch --key metric -o site x.jfr
flame-batch --key 'stage=(.)' -o site x.jfr
flame-batch --key app, -o site x.jfr
flame-batch -o site gone.jfr
echo "status $?"
touch file
flame-batch -o file x.jfr
echo "status $?"
