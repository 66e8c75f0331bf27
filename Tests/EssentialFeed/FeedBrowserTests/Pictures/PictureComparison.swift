import DuetHTTP
import Foundation

/// How much two pictures differ, cell by cell.
///
/// Each cell is the average of 12 × 12 pixels, so that the edges of letters do not matter. Fonts differ between
/// machines, and change the width of words and the color of their cells. A missing image, card or banner changes many
/// cells by much.
struct PictureComparison: CustomStringConvertible {
    /// The average difference of a cell's colors, from 0 to 1.
    let mean: Double

    /// The share of cells with a color that differs by more than an eighth, from 0 to 1.
    let changed: Double

    /// Whether the pictures show the same, apart from the fonts.
    var isWithinTolerance: Bool { mean <= 0.012 && changed <= 0.03 }

    var description: String {
        "mean \(mean.formatted(.percent.precision(.fractionLength(2)))), "
            + "changed \(changed.formatted(.percent.precision(.fractionLength(2))))"
    }
}

extension Window {
    /// Compares two JPEG pictures; nil if their sizes differ.
    ///
    /// The window must show no page, whose security policy would refuse the pictures. The browser decodes them, so that
    /// the tests need no other decoder.
    func compare(_ first: Data, _ second: Data) async throws -> PictureComparison? {
        let result = try await runUntilDone(
            """
            const cell = 12;
            const decode = async (data) => {
                const image = new Image();
                image.src = 'data:image/jpeg;base64,' + data;
                await image.decode();
                const [width, height] = [image.width, image.height].map((size) => Math.floor(size / cell));
                const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
                context.drawImage(image, 0, 0);
                const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
                const cells = new Float64Array(width * height * 3);
                for (let y = 0; y < height * cell; y++) {
                    for (let x = 0; x < width * cell; x++) {
                        const target = 3 * (Math.floor(y / cell) * width + Math.floor(x / cell));
                        const source = 4 * (y * image.width + x);
                        for (let i = 0; i < 3; i++) cells[target + i] += pixels[source + i] / (255 * cell * cell);
                    }
                }
                return { size: [image.width, image.height].join(), cells };
            };
            const compare = async () => {
                const [a, b] = [await decode(arguments[0]), await decode(arguments[1])];
                if (a.size !== b.size) return null;
                let [sum, changed] = [0, 0];
                for (let i = 0; i < a.cells.length; i += 3) {
                    const differences = [0, 1, 2].map((color) => Math.abs(a.cells[i + color] - b.cells[i + color]));
                    sum += differences[0] + differences[1] + differences[2];
                    if (Math.max(...differences) > 1 / 8) changed += 1;
                }
                return [sum / a.cells.length, 3 * changed / a.cells.length];
            };
            compare().then(done, (error) => done(String(error)));
            """,
            .string(first.base64EncodedString()),
            .string(second.base64EncodedString())
        )
        if let error = result.string { throw UndecodablePicture(description: error) }
        let numbers = result.elements.compactMap(\.number)
        return numbers.count == 2 ? PictureComparison(mean: numbers[0], changed: numbers[1]) : nil
    }
}

/// The browser cannot decode a picture.
struct UndecodablePicture: Error, CustomStringConvertible {
    let description: String
}
