# Every way in which a frame can have run comes back from a picture.
printf 'a_[0];b_[1];c_[i];d_[j];e_[k];--;f_[w] 3\n' >in
flame-graph -f svg in | flame-fold
flame-graph -f html in | flame-fold
