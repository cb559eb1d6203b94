#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A job array of Slurm: each task folds its part of a list, the last job adds
# the parts up and draws them.  LIST and FOLDER are where all nodes see them.
#
#	id=$(sbatch --parsable slurm.sh fold LIST FOLDER)
#	sbatch --array=0 --dependency=afterok:$id slurm.sh draw LIST FOLDER
#
#SBATCH --job-name=flame
#SBATCH --array=0-15
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
set -eu
what=$1 list=$2 folder=$3
shift 3
mkdir -p "$folder"

case $what in
fold)
	awk -v n="$SLURM_ARRAY_TASK_COUNT" -v i="$SLURM_ARRAY_TASK_ID" \
		'NR % n == i' "$list" |
		flame-fold -j 1 --header --report text "$@" --paths-from - \
			-o "$folder/part-$SLURM_ARRAY_TASK_ID.folded.zst" ;;
draw)
	flame-merge -o "$folder/job.folded" "$folder"/part-*.folded.zst
	flame-graph -o "$folder/job.html" "$folder/job.folded" ;;
esac
