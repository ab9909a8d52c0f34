/** Machines that call operator RPCs with tokens of their own. */
export { isMachineCall, type MachineCallers, machineOf, requireBinding } from "../machines/machine-caller.ts";
export {
  createMachineTokens,
  type Machine,
  type MachineTokens,
  machineOverlapSeconds,
} from "../machines/machine-tokens.ts";
