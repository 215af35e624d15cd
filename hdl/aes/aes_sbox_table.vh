// aes_sbox_table.vh - the forward S-box of FIPS-197 5.1.1 as one constant, entry 00 at the left
//
// A constant and not a memory, so that each module fills its own memories from it: a memory is only
// fast in Icarus when the process that reads it stands in the same module, and the inverse table is
// the same constant read the other way round. Entry x is SBOX_TABLE[8 * (255 - x) +: 8].
localparam [2047:0] SBOX_TABLE = {
    128'h637c777b_f26b6fc5_3001672b_fed7ab76,  // 00
    128'hca82c97d_fa5947f0_add4a2af_9ca472c0,  // 10
    128'hb7fd9326_363ff7cc_34a5e5f1_71d83115,  // 20
    128'h04c723c3_1896059a_071280e2_eb27b275,  // 30
    128'h09832c1a_1b6e5aa0_523bd6b3_29e32f84,  // 40
    128'h53d100ed_20fcb15b_6acbbe39_4a4c58cf,  // 50
    128'hd0efaafb_434d3385_45f9027f_503c9fa8,  // 60
    128'h51a3408f_929d38f5_bcb6da21_10fff3d2,  // 70
    128'hcd0c13ec_5f974417_c4a77e3d_645d1973,  // 80
    128'h60814fdc_222a9088_46eeb814_de5e0bdb,  // 90
    128'he0323a0a_4906245c_c2d3ac62_9195e479,  // a0
    128'he7c8376d_8dd54ea9_6c56f4ea_657aae08,  // b0
    128'hba78252e_1ca6b4c6_e8dd741f_4bbd8b8a,  // c0
    128'h703eb566_4803f60e_613557b9_86c11d9e,  // d0
    128'he1f89811_69d98e94_9b1e87e9_ce5528df,  // e0
    128'h8ca1890d_bfe64268_41992d0f_b054bb16   // f0
};
