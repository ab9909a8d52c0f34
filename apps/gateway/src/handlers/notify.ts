export const notifyHandlers = {};
