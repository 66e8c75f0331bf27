//! Middleware: a custom one, and the four that come with Duet.

import Duet

// snippet.hide
struct Rename: Command, Validatable {
    var name: String

    func validate() throws {
        if name.isEmpty { throw EmptyName() }
    }
}

struct EmptyName: Error {}

struct RenameHandler: CommandHandler {
    func handle(_ command: Rename) async throws { print("Renamed to \(command.name).") }
}

struct GetName: Query {
    typealias Value = String
}

struct GetNameHandler: QueryHandler {
    func handle(_ query: GetName) async throws -> String { "Ada" }
}

// snippet.show
/// Stops commands and forwards queries.
struct ReadOnly: Middleware {
    struct Refused: Error {
        var message: String
    }

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if M.self is any Command.Type { throw Refused(message: M.messageName) }
        return try await next.dispatch(message)
    }
}

let standard = try StandardDispatcher {
    RenameHandler()
    GetNameHandler()
}

// The first one written is the outermost: what it logs includes every attempt of the retry.
let dispatcher = standard.with(
    .logging { print($0.message, $0.error ?? "was handled") },
    .validation,
    .retry(RetryPolicy(maximumAttempts: 3)),
    .timeout(.seconds(2))
)
try await dispatcher.dispatch(Rename(name: "Ada"))

let robust = dispatcher.with(.logging { print($0.message, $0.duration) }, .retry(), .timeout(.seconds(2)))
let reader = robust.with(ReadOnly())
let name = try await reader.dispatch(GetName())
// snippet.hide
do {
    try await reader.dispatch(Rename(name: "Bob"))
    preconditionFailure("A reader must not write.")
} catch let refused as ReadOnly.Refused {
    print(refused.message, "was refused.")
}
do {
    try await dispatcher.dispatch(Rename(name: ""))
    preconditionFailure("An empty name must not be accepted.")
} catch is EmptyName {
    print(name, "has a name.")
}
