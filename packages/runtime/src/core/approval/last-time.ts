/** The last moment that RFC 3339 can name, 9999-12-31T23:59:59.999Z: a request that stands for ever stands until then. */
export const lastTime = 253_402_300_799_999
