// qce_access.v - who may write which register now: refusals and the lock
//
// An access that is refused has no effect but on FAULT. The reasons, in this order: the address is not in the map or the
// register cannot be written; the lock is in force for another master (AWPROT[1]); the engine is
// busy and the register is one of its setup; the list is armed; its doorbell is rung with a list that
// is not aligned (the one reason that leaves a fault) or has a length of 0 or more than 64.
//
// Edges: `refused` belongs to the access that is on the bus and is looked at when it is made (a). The lock
// comes into force at a, or at the end of the fetch of a list (fetch_ended), and goes at a soft reset (a),
// at the edge at which a request whose lists have UNLOCK begins to run (unlock), and at a write of STATUS by
// its owner that clears the last of OP_DONE_INTR and ERR_INTR (a), if a request has ended under the lock: what
// another one left does not count. Neither is set while busy.
`default_nettype none

module qce_access (
    input  wire        clk,
    input  wire        rst,

    // strap
    input  wire        shared,          // quirk: only a LOCK descriptor locks

    // the access
    input  wire        write,
    input  wire        read,
    input  wire [15:0] address,
    input  wire [31:0] write_data,
    input  wire        write_whole,
    input  wire [2:0]  write_prot,
    output wire        refused,
    output wire        write_taken,     // a write takes effect at this edge
    output wire        read_taken,
    output wire        soft_reset,      // it is that of SOFT_RESET
    output wire        go,              // it starts a request
    output wire        doorbell,        // it rings a doorbell:
    output wire        doorbell_list,   // 0 of the source, 1 of the destination
    output wire        misaligned,      // a doorbell is refused because of the address of its list

    // the state of the engine
    input  wire        busy,
    input  wire        interrupt_pending,   // OP_DONE_INTR or ERR_INTR
    input  wire        interrupt_kept,      // one of them would still be there if write_data were written to STATUS
    input  wire        source_armed,
    input  wire [3:0]  source_address,  // of the list, modulo 16
    input  wire [6:0]  source_length,
    input  wire        destination_armed,
    input  wire [3:0]  destination_address,
    input  wire [6:0]  destination_length,

    // the lock
    input  wire        fetch_ended,     // a list is armed at this edge
    input  wire        fetch_lock,      // and its first descriptor has LOCK
    input  wire        unlock,
    input  wire        ended,           // a request ends at this edge
    output reg         locked
);
    /* verilator lint_off UNUSEDPARAM */ // each module uses its part of the map
    `include "qce_registers.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [6:0] MAX_LENGTH = 7'd64;
    localparam       PRIVILEGED = 0;    // bits of AWPROT
    localparam       MASTER     = 1;

    // -- what the register is ---------------------------------------------------------------------
    reg mapped;
    reg writable;
    reg always_open;   // can be written while the engine is busy, and does not lock
    reg of_list;       // as its list is not armed, but for that at any time
    reg rings;

    always @* begin
        mapped      = 1'b1;
        writable    = 1'b1;
        always_open = 1'b0;
        of_list     = 1'b0;
        rings       = 1'b0;
        case (address)
            ADDR_VERSION, ADDR_STATUS2, ADDR_SRC_CURRENT, ADDR_DST_CURRENT, ADDR_CYCLES, ADDR_BYTES_DONE,
            ADDR_FAULT, ADDR_FAULT_ADDRESS:
                writable = 1'b0;
            ADDR_STATUS, ADDR_CONFIG, ADDR_SOFT_RESET:
                always_open = 1'b1;
            ADDR_SRC_LIST_ADDRESS, ADDR_SRC_LIST_LENGTH, ADDR_DST_LIST_ADDRESS, ADDR_DST_LIST_LENGTH:
                of_list = 1'b1;
            ADDR_SRC_DOORBELL, ADDR_DST_DOORBELL: begin
                of_list = 1'b1;
                rings   = 1'b1;
            end
            ADDR_SEG_SIZE, ADDR_GOPROC, ADDR_ENCR_SEG_CFG, ADDR_ENCR_SEG_SIZE, ADDR_ENCR_SEG_START,
            ADDR_CNTR0_IV, ADDR_CNTR1_IV, ADDR_CNTR2_IV, ADDR_CNTR3_IV, ADDR_XTS_DU_SIZE,
            ADDR_ENCR_KEY0, ADDR_ENCR_KEY1, ADDR_ENCR_KEY2, ADDR_ENCR_KEY3,
            ADDR_ENCR_KEY4, ADDR_ENCR_KEY5, ADDR_ENCR_KEY6, ADDR_ENCR_KEY7: ;
            default:
                mapped = 1'b0;
        endcase
    end

    // -- refusals ---------------------------------------------------------------------------------
    wire       list         = address[4];   // of_list: 0 the source's, 1 the destination's
    wire       armed        = list ? destination_armed : source_armed;
    wire [3:0] list_address = list ? destination_address : source_address;
    wire [6:0] list_length  = list ? destination_length : source_length;
    reg        owner_reg;

    wire resets     = address == ADDR_SOFT_RESET;
    wire master     = write_prot[MASTER];
    wire locked_out = locked && master != owner_reg && !(resets && write_prot[PRIVILEGED]);
    wire possible   = mapped && writable && write_whole && !locked_out
                      && !(busy && !always_open && !of_list) && !(of_list && armed);
    wire odd        = rings && list_address != 4'd0;
    wire bad_length = rings && (list_length == 7'd0 || list_length > MAX_LENGTH);

    assign refused       = write ? !possible || odd || bad_length : !mapped;
    assign write_taken   = write && !refused;
    assign read_taken    = read && !refused;
    assign soft_reset    = write_taken && resets && write_data[SOFT_RESET_RESET_BIT];
    assign go            = write_taken && address == ADDR_GOPROC && write_data[GOPROC_GO_BIT];
    assign doorbell      = write_taken && rings;
    assign doorbell_list = list;
    assign misaligned    = write && possible && odd;

    // -- the lock ---------------------------------------------------------------------------------
    reg ringing_reg;   // the master whose doorbell is being answered

    reg ended_reg;     // a request has ended under this lock: what is pending is its own

    wire acknowledged = write_taken && address == ADDR_STATUS && interrupt_pending && !interrupt_kept && ended_reg;
    wire first_write  = write_taken && !shared && !locked && !always_open && !rings;
    wire first_ring   = fetch_ended && (fetch_lock || !shared) && !locked;

    always @(posedge clk) begin
        if (doorbell)
            ringing_reg <= master;
        if (ended && locked)
            ended_reg <= 1'b1;
        if (first_write || first_ring) begin
            locked    <= 1'b1;
            ended_reg <= 1'b0;
            owner_reg <= first_write ? master : ringing_reg;
        end
        if (rst || soft_reset || acknowledged || unlock) begin
            locked    <= 1'b0;
            ended_reg <= 1'b0;
        end
    end

    wire unused = &{1'b0, write_prot[2], write_data, 1'b0};
endmodule
`default_nettype wire
