// axil_check_codes.vh - what axil_check complains of; they follow those of axi_check
localparam [4:0] CHECK_AXIL_NONE            = 5'd0;
localparam [4:0] CHECK_AXIL_AW_UNSTABLE     = 5'd20;  // awvalid dropped or its payload changed before awready
localparam [4:0] CHECK_AXIL_W_UNSTABLE      = 5'd21;
localparam [4:0] CHECK_AXIL_B_UNSTABLE      = 5'd22;
localparam [4:0] CHECK_AXIL_AR_UNSTABLE     = 5'd23;
localparam [4:0] CHECK_AXIL_R_UNSTABLE      = 5'd24;
localparam [4:0] CHECK_AXIL_B_UNREQUESTED   = 5'd25;  // before both address and data of a write were taken
localparam [4:0] CHECK_AXIL_R_UNREQUESTED   = 5'd26;  // before the address of a read was taken
localparam [4:0] CHECK_AXIL_EXCLUSIVE       = 5'd27;  // EXOKAY, which AXI4-Lite has not
localparam [4:0] CHECK_AXIL_UNKNOWN         = 5'd28;  // X or Z on a valid or ready after reset
localparam [4:0] CHECK_AXIL_UNKNOWN_PAYLOAD = 5'd29;  // X or Z in what a valid announces
localparam [4:0] CHECK_AXIL_FIRST           = 5'd20;
localparam [4:0] CHECK_AXIL_LAST            = 5'd29;
