export const filesHandlers = {};
