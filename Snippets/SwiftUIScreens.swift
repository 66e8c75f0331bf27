//! Screens: a hand-written view model, the models for cached queries, their views, previews, and tests.

// snippet.messages
import Duet
import DuetCaching
// snippet.hide
import DuetTesting
// snippet.show
import Observation

struct Note: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    let text: String
}

struct ListNotes: Query, Hashable {
    typealias Value = [Note]

    var text = ""
    var page = 1
}

struct AddNote: Command, Equatable {
    let text: String
}
// snippet.end

// snippet.before
@MainActor
@Observable
final class NotesModel {
    private(set) var notes: [Note] = []
    private(set) var errorText: String?
    var searchText = ""
    var isLoading: Bool { loadCount > 0 }

    private var loadCount = 0
    private let dispatcher: any Dispatcher

    init(dispatcher: any Dispatcher) {
        self.dispatcher = dispatcher
    }

    func load() async {
        loadCount += 1
        defer { loadCount -= 1 }
        do {
            let found = try await dispatcher.dispatch(ListNotes(text: searchText))
            try Task.checkCancellation()
            notes = found
            errorText = nil
        } catch is CancellationError {
            // The view disappeared, or the search text changed.
        } catch {
            errorText = "\(error)"
        }
    }

    func add(_ text: String) async {
        do {
            try await dispatcher.dispatch(AddNote(text: text))
            await load()
        } catch {
            errorText = "\(error)"
        }
    }
}
// snippet.end

// snippet.compose
func makeDispatcher(caching remote: any Dispatcher) throws -> CachingDispatcher {
    try remote.caching(in: .memory(limit: .entries(1_000))) {
        Cache(ListNotes.self, .maxAge(.minutes(5)).staleWhileRevalidate(.hours(1)))
        Invalidate(ListNotes.self, after: AddNote.self)
    }
}
// snippet.end

// snippet.preview
func makePreviewDispatcher() throws -> CachingDispatcher {
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self, returning: [Note(id: 1, text: "Milk"), Note(id: 2, text: "Bread")])
    spy.stub(AddNote.self)
    return try makeDispatcher(caching: spy)
}
// snippet.end

#if canImport(SwiftUI)
    // snippet.environment
    import SwiftUI

    private struct DispatcherKey: EnvironmentKey {
        static let defaultValue: CachingDispatcher? = nil
    }

    extension EnvironmentValues {
        var dispatcher: CachingDispatcher? {
            get { self[DispatcherKey.self] }
            set { self[DispatcherKey.self] = newValue }
        }
    }

    struct NotesScreen: View {
        @Environment(\.dispatcher) private var dispatcher
        let text: String

        var body: some View {
            if let dispatcher { NotesView(text: text, in: dispatcher).id(text) }
        }
    }
    // snippet.end

    // snippet.view
    struct NotesView: View {
        @State private var notes: QueryModel<ListNotes>
        @State private var adding: CommandModel<AddNote>

        init(text: String, in dispatcher: CachingDispatcher) {
            _notes = State(initialValue: QueryModel(ListNotes(text: text), in: dispatcher))
            _adding = State(initialValue: CommandModel(in: dispatcher))
        }

        var body: some View {
            List(notes.value ?? []) { note in Text(note.text) }
                .overlay { if notes.isLoading { ProgressView() } }
                .safeAreaInset(edge: .bottom) {
                    if let error = adding.error ?? notes.error { Text("\(error)") }
                }
                .toolbar {
                    Button("Add") { Task { await adding.run(AddNote(text: "Eggs")) } }
                        .disabled(adding.isRunning)
                }
                .task { await notes.run() }
                .refreshable { await notes.refresh() }
        }
    }
    // snippet.end

    // snippet.pages
    struct AllNotesView: View {
        @State private var pages: PagedModel<ListNotes, Note>

        init(in dispatcher: CachingDispatcher) {
            _pages = State(initialValue: makePages(in: dispatcher))
        }

        var body: some View {
            List {
                ForEach(pages.items) { note in Text(note.text) }
                if pages.hasMore { ProgressView().task { await pages.loadMore() } }
            }
            .task { await pages.load() }
            .refreshable { await pages.refresh() }
        }
    }
    // snippet.end

    // snippet.search
    struct SearchView: View {
        @State private var model: NotesModel

        init(dispatcher: any Dispatcher) {
            _model = State(initialValue: NotesModel(dispatcher: dispatcher))
        }

        var body: some View {
            List(model.notes) { note in Text(note.text) }
                .searchable(text: $model.searchText)
                .task(id: model.searchText) { await model.load() }
        }
    }
    // snippet.end

    // snippet.previews
    #Preview {
        NotesScreen(text: "")
            .environment(\.dispatcher, try? makePreviewDispatcher())
    }
// snippet.end
#endif

// snippet.paged
@MainActor
func makePages(in dispatcher: CachingDispatcher) -> PagedModel<ListNotes, Note> {
    PagedModel(
        ListNotes(page: 1),
        in: dispatcher,
        items: { $0 },
        next: { query, page in page.isEmpty ? nil : ListNotes(text: query.text, page: query.page + 1) }
    )
}
// snippet.end

/// The existing API.
actor Notebook {
    private var notes = [Note(id: 1, text: "Milk"), Note(id: 2, text: "Bread")]

    func list(_ query: ListNotes) -> [Note] {
        guard query.page == 1 else { return [] }
        return notes.filter { query.text.isEmpty || $0.text.contains(query.text) }
    }

    func add(_ text: String) { notes.append(Note(id: notes.count + 1, text: text)) }
}

struct ListNotesHandler: QueryHandler {
    let notebook: Notebook
    func handle(_ query: ListNotes) async throws -> [Note] { await notebook.list(query) }
}

struct AddNoteHandler: CommandHandler {
    let notebook: Notebook
    func handle(_ command: AddNote) async throws { await notebook.add(command.text) }
}

/// Suspends until a model has changed to what a view would show.
@MainActor
func wait(until isShown: () -> Bool) async {
    while !isShown() { await Task.yield() }
}

let notebook = Notebook()
let dispatcher = try makeDispatcher(
    caching: StandardDispatcher {
        ListNotesHandler(notebook: notebook)
        AddNoteHandler(notebook: notebook)
    }
)

// snippet.query
let notes = QueryModel(ListNotes(), in: dispatcher)
let appearance = Task { await notes.run() }  // In SwiftUI: .task { await notes.run() }
// snippet.end
await wait { notes.value?.count == 2 }
print("The screen shows", notes.value?.map(\.text) ?? [])

// snippet.command
let adding = CommandModel<AddNote>(in: dispatcher)
await adding.run(AddNote(text: "Eggs"))
// snippet.end
await wait { notes.value?.count == 3 }
print("The screen shows", notes.value?.map(\.text) ?? [])
appearance.cancel()

let pages = makePages(in: dispatcher)
await pages.load()
await pages.loadMore()
print("\(pages.items.count) notes, more: \(pages.hasMore)")

let model = NotesModel(dispatcher: dispatcher)
model.searchText = "Milk"
await model.load()
await model.add("More Milk")
precondition(model.notes.count == 2 && model.errorText == nil && !model.isLoading)

let preview = QueryModel(ListNotes(), in: try makePreviewDispatcher())
let shown = Task { await preview.run() }
await wait { preview.value?.count == 2 }
shown.cancel()
