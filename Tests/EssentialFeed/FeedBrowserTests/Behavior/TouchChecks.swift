import DuetHTTP
import FeedTesting
import Testing

/// The feed on a touch screen.
enum TouchChecks {
    static func pullToRefresh() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await window.resize(to: 390, 640)
            try await window.enableTouch()
            try await reader.open()
            let new = try await reader.site.publishElsewhere("A new image")
            try await window.run(
                """
                window.refreshes = 0;
                addEventListener('submit', (event) => { refreshes += event.target.matches('#refresh'); });
                """
            )

            // Too short, canceled, or not at the beginning.
            try await window.drag(from: 150, to: 250)
            try await window.drag(from: 150, to: 450, back: 150)
            try await window.run("scrollTo(0, 300)")
            try await window.drag(from: 150, to: 450)
            #expect(try await window.value(of: "refreshes") == 0)

            try await window.run("scrollTo(0, 0)")
            try await window.drag(from: 150, to: 450) { () async throws in
                let pulled = "getComputedStyle(document.documentElement).getPropertyValue('--pulled')"
                #expect(try await window.value(of: pulled) == "72px")
                let isPulling = "document.documentElement.classList.contains('pulling')"
                #expect(try await window.value(of: isPulling) == true)
            }
            try await window.wait(forAnnouncement: "The feed is up to date")
            #expect(try await window.value(of: "document.querySelector('.card').dataset.id") == .id(new))
            #expect(try await window.value(of: "refreshes") == 1)
            #expect(try await window.count(".pulling") == 0)
        }
    }
}
