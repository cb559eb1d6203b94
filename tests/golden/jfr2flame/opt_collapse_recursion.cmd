printf 'a;b_[j];b_[i];c 1\na;b;a;b 2\n' |
	jfr2flame --collapse-recursion --collapsed -
