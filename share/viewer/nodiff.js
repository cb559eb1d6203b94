/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instead of diff.js, in pages that never compare.
 */
const diff = { column: 0, step: null }, diffKeys = 0, hatches = [];
const changeColumns = 0, changesOf = 0, colorChange = 0, changeTable = 0;
const describeChange = 0, sumText = 0, findLost = 0, lostText = 0, restoreDiff = 0, larger = 0;
const setColumn = 0, compare = 0, nextColors = 0, recolor = 0;
const before = 0, after = 0, loneWord = 0;
const isLone = () => false, numberOf = isLone;
function linkDiff() {}
function fillMost() {}
function hatchLone() {}
function paintLegend() {}
function setCompares() {}
function startDiff() {}
