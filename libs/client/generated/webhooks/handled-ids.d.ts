/** Remembers which calls were handled, so that a repeat does nothing twice. Several processes need one in a store they share. */
export type HandledIds = {
    /**
     * Claims the id for handling: `new` if it was not claimed, `running` while it is being handled, `done` once it is
     * handled.
     */
    begin(id: string): Promise<"new" | "running" | "done">;
    /** Records that the id was handled. */
    finish(id: string): Promise<void>;
    /** Records that handling failed, so that the id may be started again. */
    abandon(id: string): Promise<void>;
};
/** Remembers ids in this process, and forgets them with it. */
export declare function handledIdsInMemory(): HandledIds;
