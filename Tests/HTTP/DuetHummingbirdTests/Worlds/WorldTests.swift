import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// The same tests in every place where messages can be handled.
@Suite(.timeLimit(.minutes(5)))
struct WorldTests {
    private let notebook = Notebook()

    @Test(arguments: World.allCases)
    func `a query returns the effect of a command`(world: World) async throws {
        let notes = ["one", "two + two", "50 % of a/b", "naïve 💥", "", "line\nbreak", #"{"a":"b"}"#].enumerated()
            .map { Note(id: $0.offset, text: $0.element) }
        try await world.run(notebook) { dispatcher in
            for note in notes { try await dispatcher.dispatch(AddNote(note: note)) }
            for note in notes {
                let found = try await dispatcher.dispatch(GetNote(id: note.id))
                #expect(found == note)
            }
            let all = try await dispatcher.dispatch(FindNotes(searchText: nil))
            #expect(all == notes)
        }
    }

    @Test(arguments: World.allCases)
    func `a parameter arrives unchanged`(world: World) async throws {
        let texts = ["two + two", "50 % of a/b", "naïve 💥", "a&b=c#d?e", "%2F", "\"", "line\nbreak"]
        try await world.run(notebook) { dispatcher in
            for (id, text) in texts.enumerated() {
                try await dispatcher.dispatch(AddNote(note: Note(id: id, text: text)))
                let found = try await dispatcher.dispatch(FindNotes(searchText: text))
                #expect(found.map(\.text) == [text])
            }
        }
    }

    @Test(arguments: World.allCases)
    func `a declared error is the same error everywhere`(world: World) async throws {
        try await world.run(notebook) { dispatcher in
            await #expect(throws: NoteMissing(id: 7)) { _ = try await dispatcher.dispatch(GetNote(id: 7)) }
            await #expect(throws: NoteMissing(id: 8)) { try await dispatcher.dispatch(RemoveNote(id: 8)) }
        }
    }

    @Test(arguments: World.allCases)
    func `a command that needs a principal is handled for one`(world: World) async throws {
        try await world.run(notebook) { dispatcher in
            try await dispatcher.dispatch(AddNote(note: Note(id: 1, text: "one")))
            try await dispatcher.dispatch(RemoveNote(id: 1))
            try await dispatcher.dispatch(Secret(text: "x"))
            let all = try await dispatcher.dispatch(FindNotes(searchText: nil))
            #expect(all == [])
        }
        #expect(notebook.dispatched == ["AddNote", "RemoveNote", "Secret", "FindNotes"])
    }

    @Test(arguments: World.allCases)
    func `bytes arrive unchanged`(world: World) async throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await world.run(notebook) { dispatcher in
            try await dispatcher.dispatch(PutPicture(body: HTTPBytes(bytes, mediaType: "image/x-test")))
            let picture = try await dispatcher.dispatch(GetPicture())
            #expect(picture.data == bytes)
            #expect(picture.mediaType == "image/x-test")
        }
    }

    @Test(arguments: World.allCases)
    func `a canceled caller cancels the handler`(world: World) async throws {
        try await world.run(notebook) { [notebook] dispatcher in
            let caller = Task { _ = try await dispatcher.dispatch(Wait()) }
            #expect(await notebook.events.first { _ in true } == "waiting")
            caller.cancel()
            #expect(await notebook.events.first { _ in true } == "canceled")
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
    }

    @Test(arguments: [World.router, .socket])
    func `an internal error stays on the server`(world: World) async throws {
        try await world.run(notebook) { dispatcher in
            let error = await #expect(throws: HTTPFailure.self) { _ = try await dispatcher.dispatch(Fail()) }
            #expect(error?.response.status == .internalServerError)
            #expect(error.map { String(decoding: $0.body, as: UTF8.self).contains("hunter2") } == false)
        }
    }
}
