//! Screens: a hand-written view model, the models for cached queries, their views, previews, and tests.

// snippet.messages
import Duet
import DuetCaching
// snippet.hide
import DuetDependencies
import DuetMacros
import DuetSwiftUI
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

// snippet.container
func makeContainer(caching remote: any Dispatcher) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { try makeDispatcher(caching: remote) }
    builder.singleton((any Dispatcher).self) { (dispatcher: CachingDispatcher) in dispatcher }
    builder.transient { @MainActor (dispatcher: any Dispatcher) in CommandModel<AddNote>(in: dispatcher) }
    builder.transient { @MainActor (dispatcher: CachingDispatcher) in makePages(in: dispatcher) }
    builder.transient { Note(id: 0, text: "") }
    builder.scoped { @MainActor (note: Note) in DraftModel(note) }
    return try builder.build()
}
// snippet.end

// snippet.draft
@MainActor
@Observable
final class DraftModel {
    var text: String

    init(_ note: Note) { text = note.text }
}
// snippet.end

// snippet.preview
func makePreviewContainer() throws -> Container {
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self, returning: [Note(id: 1, text: "Milk"), Note(id: 2, text: "Bread")])
    spy.stub(AddNote.self)
    return try makeContainer(caching: spy)
}
// snippet.end

#if canImport(SwiftUI)
    // snippet.app
    import DuetDependencies
    import DuetSwiftUI
    import SwiftUI

    struct NotesApp: App {
        let container: Container

        init() {
            do {
                container = try makeContainer(caching: makeRemote())
            } catch {
                fatalError("\(error)")
            }
        }

        var body: some Scene {
            WindowGroup { NotesScreen().resolving(from: container) }
        }
    }
    // snippet.end

    // snippet.view
    struct NotesScreen: View {
        @ObservedQuery(ListNotes()) private var notes
        @Resolved private var adding: CommandModel<AddNote>?
        @State private var edited: Note?

        var body: some View {
            List(notes ?? []) { note in
                Button(note.text) { edited = note }
            }
            .overlay { if $notes.isLoading { ProgressView() } }
            .safeAreaInset(edge: .bottom) {
                if let error = adding?.error ?? $notes.error { Text(verbatim: "\(error)") }
            }
            .toolbar {
                if let adding {
                    Button("Add") { Task { await adding.run(AddNote(text: "Eggs")) } }
                        .disabled(adding.isRunning)
                }
            }
            .refreshable { await $notes.refresh() }
            .sheet(item: $edited) { note in
                DraftScreen().resolving(overriding: Override { note })
            }
        }
    }
    // snippet.end

    // snippet.resolved
    struct DraftScreen: View {
        @Resolved private var draft: DraftModel?

        var body: some View {
            if let draft {
                DraftView(draft: draft)
            } else if let error = $draft.error {
                Text(verbatim: "\(error)")
                Button("Try again") { $draft.retry() }
            } else {
                ProgressView()
            }
        }
    }
    // snippet.end

    // snippet.draftview
    struct DraftView: View {
        @Bindable var draft: DraftModel
        @Resolved private var dispatcher: any CommandDispatcher

        var body: some View {
            TextField("Text", text: $draft.text)
                .onSubmit {
                    Task { try await dispatcher.dispatch(AddNote(text: draft.text)) }
                }
        }
    }
    // snippet.end

    // snippet.parameters
    struct FoundNotes: View {
        @ObservedQuery<ListNotes> private var notes: [Note]?

        init(text: String) {
            _notes = ObservedQuery(ListNotes(text: text))
        }

        var body: some View {
            List(notes ?? []) { note in Text(note.text) }
        }
    }
    // snippet.end

    // snippet.scope
    @ResolvedScope
    struct NotesToolbar: View {
        @Resolved private var dispatcher: any CommandDispatcher

        var body: some View {
            Button("Add") {
                Task { try await dispatcher.dispatch(AddNote(text: "Eggs")) }
            }
            .disabled(scope == nil)
        }
    }
    // snippet.end

    // snippet.pages
    struct AllNotesView: View {
        @Resolved private var pages: PagedModel<ListNotes, Note>?

        var body: some View {
            if let pages {
                List {
                    ForEach(pages.items) { note in Text(note.text) }
                    if pages.hasMore { ProgressView().task { await pages.loadMore() } }
                }
                .task { await pages.load() }
                .refreshable { await pages.refresh() }
            }
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
        if let container = try? makePreviewContainer() {
            NotesScreen().resolving(from: container)
        }
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

/// A dispatcher in place of a server.
func makeRemote() throws -> any Dispatcher {
    let notebook = Notebook()
    return try StandardDispatcher {
        ListNotesHandler(notebook: notebook)
        AddNoteHandler(notebook: notebook)
    }
}

let container = try makeContainer(caching: makeRemote())
let dispatcher: CachingDispatcher = try await container.resolve()

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

let previewed: CachingDispatcher = try await makePreviewContainer().resolve()
let preview = QueryModel(ListNotes(), in: previewed)
let shown = Task { await preview.run() }
await wait { preview.value?.count == 2 }
shown.cancel()

let sheet = try container.makeScope(overriding: Override { Note(id: 1, text: "Milk") })
let draft: DraftModel = try await sheet.resolve()
precondition(draft.text == "Milk")
await sheet.dispose()
