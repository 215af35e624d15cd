// quirks.vh - bit numbers of the quirk straps; pymodel/engines/quirks.py has the same list
`ifndef ECBENCH_QUIRKS_VH
`define ECBENCH_QUIRKS_VH
localparam QUIRK_STICKY_KEY         = 0;
localparam QUIRK_KEYGEN_128_ONLY    = 1;
localparam QUIRK_SCHEDULE_OVERREAD  = 2;
localparam QUIRK_FETCH_AHEAD        = 3;
localparam QUIRK_ALIGN_16           = 4;
localparam QUIRK_IRQ_FORGETS_KEY    = 5;
localparam QUIRK_LENGTH_512_HANG    = 6;
localparam QUIRK_ZERO_LENGTH_HANG   = 7;
localparam QUIRK_PARTIAL_BLOCK_HANG = 8;
localparam QUIRK_NO_AES192          = 9;
localparam QUIRK_SLOW_START         = 10;
localparam QUIRK_DUMP_FOLLOWS_DATA  = 11;
localparam QUIRK_STALE_DUMP_STATUS  = 12;
localparam QUIRK_SHARED_REGISTERS   = 13;
`endif
