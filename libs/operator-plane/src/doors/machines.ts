/** Machines with tokens of their own. What other packages may import; a module without a line here is the package's own. */
export { isMachineCall, type MachineCallers, machineOf, requireBinding } from "../machines/machine-caller.ts";
export {
  createMachineTokens,
  type Machine,
  type MachineTokens,
  machineOverlapSeconds,
} from "../machines/machine-tokens.ts";
