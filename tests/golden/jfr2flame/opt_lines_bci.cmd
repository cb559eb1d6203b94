jfr2flame -q --lines --root TaskRunner --depth 2 -o collapsed data/jfr/jdk17-profile.jfr.gz
jfr2flame -q --bci --root TaskRunner --depth 2 -o collapsed data/jfr/jdk17-profile.jfr.gz
