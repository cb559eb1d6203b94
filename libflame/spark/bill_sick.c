/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executors that are unlike the others in the same stages.
 */
#include "fl.h"

#include "spark/bill.h"

bool fl_bill_find_sick(struct flame_bill *bill)
{
	(void)bill;
	return true;
}
