/** Of all processes of these tests, so that nobody waits long for one that has died. */
export const heartbeatMs = 150;
