import Duet
import Observation

/// The model of a screen that shows notes.
@MainActor
@Observable
final class NotesModel {
    private(set) var notes: [Note] = []
    private(set) var isLoading = false
    private(set) var failure: String?

    private let dispatcher: any Dispatcher

    init(dispatcher: any Dispatcher) {
        self.dispatcher = dispatcher
    }

    func load(_ searchText: String? = nil) async {
        isLoading = true
        defer { isLoading = false }
        do {
            notes = try await dispatcher.dispatch(ListNotes(searchText: searchText))
        } catch is CancellationError {
            // Nobody looks at the screen any longer.
        } catch {
            failure = "\(error)"
        }
    }
}

/// A spinner that turns while messages are in progress.
@MainActor
final class Spinner {
    private var messages = 0

    var isTurning: Bool { messages > 0 }

    /// Intercepts messages of any type whose values may leave the main actor.
    func spin<M: Message>(_ message: M, _ next: any Dispatcher) async throws -> M.Value where M.Value: Sendable {
        messages += 1
        defer { messages -= 1 }
        return try await next.dispatch(message)
    }
}
