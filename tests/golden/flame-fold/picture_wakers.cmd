# Every way in which a frame can have run comes back from a picture.
printf 'a_[0];b_[1];c_[i];d_[j];e_[k];--;f_[w] 3\n' >in
flame-graph -f svg in | flame-fold
flame-graph -f html in | flame-fold
# And from a picture of those who write it into the name.
cat >peer.svg <<'END'
<svg xmlns="http://www.w3.org/2000/svg"><g id="frames">
<g><title>all (5 samples, 100%)</title><rect x="10.0" y="49" width="100.0" height="15.0"/></g>
<g><title>a_[w] (5 samples, 100%)</title><rect x="10.0" y="33" width="100.0" height="15.0"/></g>
</g></svg>
END
flame-fold --no-tiers peer.svg
