echo 'a 1' >in
flame-graph -q in out.svg | head -c 5; echo
flame-graph -q in out.svg >page
