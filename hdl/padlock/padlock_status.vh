// padlock_status.vh - codes of done_status; pymodel.engines.ports.XcryptStatus has the same list
localparam [2:0] STATUS_OK               = 3'd0;
localparam [2:0] STATUS_INTERRUPTED      = 3'd1;
localparam [2:0] STATUS_BAD_CONTROL_WORD = 3'd2;
localparam [2:0] STATUS_ALIGN_FAULT      = 3'd3;
localparam [2:0] STATUS_READ_PAGE_FAULT  = 3'd4;
localparam [2:0] STATUS_WRITE_PAGE_FAULT = 3'd5;
localparam [2:0] STATUS_READ_BUS_FAULT   = 3'd6;
localparam [2:0] STATUS_WRITE_BUS_FAULT  = 3'd7;
