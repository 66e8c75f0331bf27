//! A dispatcher of one's own: two methods, and it fits wherever one is expected.

import Duet

// snippet.hide
struct Greet: Query {
    typealias Value = String
    var name: String
}

struct GreetHandler: QueryHandler {
    func handle(_ query: Greet) async throws -> String { "Hello, \(query.name)." }
}

struct Wave: Command {}

struct WaveHandler: CommandHandler {
    func handle(_ command: Wave) async throws { print("Waves.") }
}

// snippet.show
/// Sends commands one way and queries another, say to a replica that only reads.
struct SplitDispatcher: CommandQueryDispatcher {
    let writer: any CommandDispatcher
    let reader: any QueryDispatcher

    func dispatch<C: Command>(_ command: C) async throws {
        try await writer.dispatch(command)
    }

    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        try await reader.dispatch(query)
    }
}

/// Depends on a dispatcher, and does not know which.
func welcome(_ name: String, with dispatcher: any CommandQueryDispatcher) async throws -> String {
    try await dispatcher.dispatch(Wave())
    return try await dispatcher.dispatch(Greet(name: name))
}

let split = SplitDispatcher(
    writer: try StandardDispatcher { WaveHandler() },
    reader: try StandardDispatcher { GreetHandler() }
)
print(try await welcome("Ada", with: split))
