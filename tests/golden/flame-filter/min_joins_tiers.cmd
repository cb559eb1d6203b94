# f has 60 + 5 of 100, in two ways of running; 5 alone would be too little.
printf 'a;f_[j];x 60\na;f_[0];x 5\na;g 35\n' >ways
flame-filter --min 6% ways
flame-top -q --tree --min 6% ways
flame-graph -q -f text --tree --min 6% ways
flame-graph --min 6% -o page.html ways
flame-fold page.html
# A kernel frame of the same name is another one, and so is another caller's.
printf 'a;f_[k] 5\na;f_[1] 4\na;f_[i] 4\nb;f_[j] 5\nb;h 82\n' | flame-fold --min 6
# Three levels of ways: 4 + 4 at the end.
printf 'a_[j];b_[j];c_[j] 4\na_[0];b_[0];c_[0] 4\na_[j];d 92\n' |
	flame-fold --min 8
