//! A custom dispatcher: one method, and it fits wherever a dispatcher is expected.

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
struct SplitDispatcher: Dispatcher {
    let writer: any Dispatcher
    let reader: any Dispatcher

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await (M.self is any Command.Type ? writer : reader).dispatch(message)
    }
}

/// Depends on a dispatcher, and does not know which.
func welcome(_ name: String, with dispatcher: any Dispatcher) async throws -> String {
    try await dispatcher.dispatch(Wave())
    return try await dispatcher.dispatch(Greet(name: name))
}

let split = SplitDispatcher(
    writer: try StandardDispatcher { WaveHandler() },
    reader: try StandardDispatcher { GreetHandler() }
)
print(try await welcome("Ada", with: split))
