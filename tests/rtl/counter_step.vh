`define COUNTER_STEP 1'b1
