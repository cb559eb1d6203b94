sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# A frame type that nobody knows is drawn and does not crash the writer.
mkjfr data/jfr-text/frame_kinds_ap.txt >in.jfr
jfr2flame -q --collapsed in.jfr | sum
