printf 'a_[0];b_[j] 3\n' >before
printf 'a_[j];b_[0] 1\na_[0];b_[j] 2\n' >after
flame-diff -q before after
