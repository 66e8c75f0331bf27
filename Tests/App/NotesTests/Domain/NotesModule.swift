import Duet
import DuetMacros

/// The notes of this process, audited, in memory.
struct NotesModule: ContainerModule {
    func register(in builder: ContainerBuilder) {
        builder.singleton { NoteStore() }
        builder.singleton((any AuditTrail).self) { InMemoryAuditTrail() }
        builder.handlers {
            AddNoteHandler.self
            RenameNoteHandler.self
            ImportNotesHandler.self
            ListNotesHandler.self
        }
        builder.middleware(ValidationMiddleware())
        builder.middleware { (trail: any AuditTrail) in AuditLog(trail: trail) }
    }
}
