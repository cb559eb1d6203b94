/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instead of diff.js, in pages that never compare.
 */
export const diff = { column: 0, step: null }, diffKeys = 0;
export const changeColumns = 0, changesOf = 0, colorChange = 0, changeTable = 0;
export const describeChange = 0, sumText = 0, findLost = 0, lostText = 0;
export const restoreDiff = 0, larger = 0;
export const setColumn = 0, compare = 0, nextColors = 0, recolor = 0;
export const before = 0, after = 0, loneWord = 0;
export const isLone = () => false, numberOf = isLone;
export function linkDiff() {}
export function fillMost() {}
export function hatchLone() {}
export function paintLegend() {}
export function setCompares() {}
export function startDiff() {}
