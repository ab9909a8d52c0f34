export const adsHandlers = {};
