# How frames ran comes back, and the total of what was cut.
printf '%s\n' 'a;b_[j] 99990' 'a;b_[j];c 9' 'a;d_[k] 1' |
	flame-graph --minwidth 0.1% > x.svg
flame-fold x.svg
gzip -c x.svg > x.gz && flame-fold -q -i svg - < x.gz
